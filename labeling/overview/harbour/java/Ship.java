package org.example.harbour;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A ship that calls at the harbour. */
public class Ship {
    private final String name;
    private final double length;
    private final List<Container> cargo = new ArrayList<>();
    private boolean quarantined;

    public Ship(String name, double length) {
        this.name = name;
        this.length = length;
    }

    public String name() {
        return name;
    }

    public double length() {
        return length;
    }

    public List<Container> list() {
        return Collections.unmodifiableList(cargo);
    }

    public void addConatiner(Container container) {
        cargo.add(container);
    }

    public double sum() {
        double total = 0;
        for (Container container : cargo) {
            total += container.weight();
        }
        return total;
    }

    public void setQuarantine(boolean value) {
        quarantined = value;
    }

    public boolean quarantine() {
        return quarantined;
    }

    public boolean dangerous() {
        return cargo.stream().anyMatch(container -> container.hazardClass() > 0);
    }
}
