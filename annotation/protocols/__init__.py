"""What annotation knows of each protocol: its kind of answer, its rules and its files. Protocols register themselves here."""
