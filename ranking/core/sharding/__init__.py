"""Work cut into shards, computed on this machine or on many with the same bits."""
