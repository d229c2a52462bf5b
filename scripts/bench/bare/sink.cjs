// busboy behind node:http: reads the form away and says how long the file was.
const { createServer } = require('node:http');
const busboy = require('busboy');
const { announce } = require('./serve.cjs');

announce(
  createServer((request, response) => {
    let size = 0;
    const form = busboy({ headers: request.headers });
    form.on('file', (_name, part) => part.on('data', (chunk) => (size += chunk.length)));
    form.on('close', () => response.end(JSON.stringify({ byte_size: size })));
    request.pipe(form);
  }),
);
