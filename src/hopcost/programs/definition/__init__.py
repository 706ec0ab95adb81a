"""What a program is: its definition, its settings, its templates."""
