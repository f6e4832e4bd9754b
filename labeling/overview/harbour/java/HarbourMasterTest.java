package org.example.harbour;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class HarbourMasterTest {
    private static final Instant NOON = Instant.parse("2025-06-01T12:00:00Z");
    private final HarbourMaster master = new HarbourMaster(new Weather(5, 9000));

    @Test
    void test1() {
        master.announce(new Ship("Gudrun", 120));
        assertEquals(0, master.process(NOON));
        assertEquals(1, master.waiting());
    }

    @Test
    void testStorm() {
        HarbourMaster stormy = new HarbourMaster(new Weather(28, 9000));
        stormy.announce(new Ship("Gudrun", 120));
        assertEquals(0, stormy.process(NOON));
    }

    @Test
    void checkDigitWorks() {
        assertTrue(new Container("CSQU3054383", 20, 0).number().startsWith("CSQU"));
        assertFalse(new Ship("Gudrun", 120).dangerous());
    }
}
