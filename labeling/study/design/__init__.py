"""The mathematics of planning a study: sample sizes, balanced orders, sheets and what they can show."""
