// What every bare program begins and ends with.

/** Listens on a free loopback port and says so on the first line. */
exports.announce = (server, more = {}) =>
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port, ...more })));

/** A WebSocket server that answers each text with what `answer` returns. */
exports.serveSocket = (answer) => {
  const { createServer } = require('node:http');
  const { WebSocketServer } = require('ws');
  const http = createServer();
  new WebSocketServer({ server: http, perMessageDeflate: false }).on('connection', (socket) => {
    socket.on('message', (data) => socket.send(answer(data.toString())));
  });
  exports.announce(http);
};

/** A libsql database as durable as the product's: every commit is on the disk before it returns. */
exports.openDatabase = (file) => {
  const Database = require('libsql');
  const database = new Database(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE IF NOT EXISTS message (id INTEGER PRIMARY KEY, channel TEXT, body TEXT) STRICT');
  return database;
};
