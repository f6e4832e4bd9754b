package org.example.harbour;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Decides which ship goes to which berth, and in which order. */
public class HarbourMaster {
    private final List<Berth> berths = new ArrayList<>();
    private final Deque<Ship> roads = new ArrayDeque<>();
    private final Weather weather;

    public HarbourMaster(Weather weather) {
        this.weather = weather;
    }

    public void add(Berth berth) {
        berths.add(berth);
    }

    public void announce(Ship ship) {
        roads.addLast(ship);
    }

    public Optional<Berth> find(Ship ship) {
        return berths.stream().filter(berth -> berth.isEmpty()).findFirst();
    }

    public int process(Instant now) {
        int moved = 0;
        while (!roads.isEmpty() && weather.ok()) {
            Optional<Berth> berth = find(roads.peekFirst());
            if (berth.isEmpty()) {
                break;
            }
            moved++;
            roads.removeFirst();
        }
        return moved;
    }

    public int waiting() {
        return roads.size();
    }

    @Deprecated
    public int getNumShips() {
        return berths.size() + roads.size();
    }
}
