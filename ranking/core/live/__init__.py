"""Rankings and agreement kept up to date, judgment by judgment."""
