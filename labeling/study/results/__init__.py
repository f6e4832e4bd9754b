"""What the answers say, by origin: masked until the study is unblinded."""
