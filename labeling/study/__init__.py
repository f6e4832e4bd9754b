"""The blinded questionnaire: how it is planned, taken and analysed."""
