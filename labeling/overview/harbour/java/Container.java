package org.example.harbour;

/** A steel box with a number. */
public class Container {
    private final String number;
    private final double weight;
    private final int hazardClass;

    public Container(String number, double weight, int hazardClass) {
        this.number = number;
        this.weight = weight;
        this.hazardClass = hazardClass;
    }

    public String number() {
        return number;
    }

    public double weight() {
        return weight;
    }

    public int hazardClass() {
        return hazardClass;
    }

    public boolean doCheck() {
        int sum = 0;
        for (int index = 0; index < 10; index++) {
            sum += Character.getNumericValue(number.charAt(index)) << index;
        }
        return sum % 11 % 10 == Character.getNumericValue(number.charAt(10));
    }
}
