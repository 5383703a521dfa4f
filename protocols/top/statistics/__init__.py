"""How much time judges take. No Django."""
