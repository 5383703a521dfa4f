"""Count the keystrokes, clicks and pointer travel that a block of five outputs takes."""
