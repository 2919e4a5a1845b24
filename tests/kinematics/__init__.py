"""Bad input and bad states; `hexapods` are small robots with known singular poses."""
