// ws, JSON both ways, and one fsynced insert per message, in the file named by the argument.
const { openDatabase, serveSocket } = require('./serve.cjs');

const database = openDatabase(process.argv[2]);
const insert = database.prepare('INSERT INTO message (channel, body) VALUES (?, ?)');

serveSocket((text) => {
  const { packet_id, connector_channel_id, payload } = JSON.parse(text);
  insert.run([connector_channel_id ?? '', JSON.stringify(payload)]);
  return JSON.stringify({ reply_to: packet_id, connector_channel_id, payload: { ...payload, status: 'accepted' } });
});
