"""One suite for each Protocol or vendor, run over our fake and over something that we did not write."""
