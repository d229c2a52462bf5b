// ws, and JSON both ways; nothing else.
require('./serve.cjs').serveSocket((text) => JSON.stringify(JSON.parse(text)));
