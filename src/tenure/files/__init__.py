"""Files and what is beside them: durable writes, locks, JSON, sockets, the list of trusted stores."""
