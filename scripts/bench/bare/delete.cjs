// ws, JSON both ways, and one fsynced delete per message: file and number of rows are the arguments.
const { openDatabase, serveSocket } = require('./serve.cjs');

const [, , file, rows] = process.argv;
const database = openDatabase(file);
const insert = database.prepare('INSERT INTO message (channel, body) VALUES (?, ?)');
database.exec('BEGIN');
for (let row = 0; row < Number(rows); row += 1) insert.run(['', JSON.stringify({ text: `held ${row}` })]);
database.exec('COMMIT');
const head = database.prepare('SELECT id, body FROM message ORDER BY id LIMIT 1');
const remove = database.prepare('DELETE FROM message WHERE id = ?');

serveSocket((text) => {
  const { packet_id } = JSON.parse(text);
  const { id, body } = head.get([]);
  remove.run([id]);
  return JSON.stringify({ reply_to: packet_id, payload: JSON.parse(body) });
});
