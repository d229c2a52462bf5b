// A process that has koa, ws and libsql loaded and listens.
const { createServer } = require('node:http');
const Koa = require('koa');
require('libsql');
const { WebSocketServer } = require('ws');
const { announce } = require('./serve.cjs');

const server = createServer(new Koa().callback());
new WebSocketServer({ noServer: true });
announce(server);
