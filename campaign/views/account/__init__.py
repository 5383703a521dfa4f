"""One's own account: name, password, e-mail address, second factors, and signing in elsewhere."""
