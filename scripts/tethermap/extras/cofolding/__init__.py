"""Jobs of programs that fold proteins together with a degrader or one of its halves."""
