package org.example.harbour;

/** What the instruments on the pier say. */
public class Weather {
    private static final double STRONGEST_WIND_FOR_PILOTS = 17.0;
    private static final double LEAST_SIGHT = 500.0;

    private final double wind;
    private final double sight;

    public Weather(double wind, double sight) {
        this.wind = wind;
        this.sight = sight;
    }

    public boolean ok() {
        return wind <= STRONGEST_WIND_FOR_PILOTS && sight >= LEAST_SIGHT;
    }

    public double windInKnots() {
        return wind * 3600 / 1852;
    }

    public String toText() {
        return String.format("%.0f kn, sight %.0f m", windInKnots(), sight);
    }
}
