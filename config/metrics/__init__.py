"""What Quintet tells Prometheus about itself; docs/operators.md says what each alarm means."""
