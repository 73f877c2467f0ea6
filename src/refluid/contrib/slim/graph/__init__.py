"""Programs as slim sees them: with names for what goes in and what comes out."""
