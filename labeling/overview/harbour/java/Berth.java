package org.example.harbour;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A place at the quay where one ship can lie. */
public class Berth {
    private final String name;
    private final double length;
    private Ship ship;
    private Instant since;

    public Berth(String name, double length) {
        this.name = name;
        this.length = length;
    }

    public String name() {
        return name;
    }

    public boolean check(Ship candidate) {
        return ship == null && candidate.length() + SAFETY_MARGIN <= length;
    }

    public void put(Ship arriving, Instant now) {
        if (!check(arriving)) {
            throw new IllegalStateException("Berth " + name + " cannot take " + arriving.name());
        }
        ship = arriving;
        since = now;
    }

    public Optional<Ship> release() {
        Optional<Ship> leaving = Optional.ofNullable(ship);
        ship = null;
        since = null;
        return leaving;
    }

    public Duration time(Instant now) {
        if (since == null) {
            return Duration.ZERO;
        }
        return Duration.between(since, now);
    }

    public boolean isEmpty() {
        return ship == null;
    }

    private static final double SAFETY_MARGIN = 8.0;
}
