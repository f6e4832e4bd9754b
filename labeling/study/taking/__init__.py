"""The participant's side: nothing here can reach an origin."""
