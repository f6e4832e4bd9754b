package org.example.harbour;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/** What a call at the harbour costs. */
public class Tariff {
    private static final BigDecimal PER_METRE_AND_DAY = new BigDecimal("14.20");
    private static final BigDecimal HAZARD_SURCHARGE = new BigDecimal("1.35");

    public BigDecimal calc(Ship ship, Duration stay) {
        BigDecimal days = BigDecimal.valueOf(Math.max(1, stay.toDays()));
        BigDecimal dues = PER_METRE_AND_DAY.multiply(BigDecimal.valueOf(ship.length())).multiply(days);
        return ship.dangerous() ? surcharge(dues) : dues;
    }

    BigDecimal surcharge(BigDecimal dues) {
        return dues.multiply(HAZARD_SURCHARGE).setScale(2, RoundingMode.HALF_UP);
    }

    public BigDecimal discount(BigDecimal dues, int calls) {
        if (calls < 10) {
            return dues;
        }
        return dues.multiply(new BigDecimal("0.95")).setScale(2, RoundingMode.HALF_UP);
    }

    public int compute(int calls) {
        return calls <= 1 ? 0 : 1 + compute(calls / 2);
    }
}
