"""[Long 2014]: a Gough–Stewart robot whose platform is a flexible plate."""
