// The least that an Electron tray app can be: an icon, a server that says it is well, and a window when the icon is clicked.
const { app, BrowserWindow, nativeImage, Tray } = require('electron');
const { createServer } = require('node:http');
const { join } = require('node:path');

let tray;
let window;

app.setPath('userData', process.env.BARE_APP_DATA);
app.on('window-all-closed', () => undefined);
process.on('SIGTERM', () => app.exit(0));

void app.whenReady().then(() => {
  tray = new Tray(nativeImage.createFromPath(process.env.BARE_APP_ICON));
  tray.setToolTip('bare');
  tray.on('click', () => {
    if (window !== undefined) return;
    window = new BrowserWindow({ width: 1000, height: 700, show: false });
    window.once('ready-to-show', () => window.show());
    window.on('closed', () => (window = undefined));
    void window.loadFile(join(__dirname, 'index.html'));
  });
  const server = createServer((_request, response) => response.end('{"status":"ok"}'));
  server.listen(0, '127.0.0.1', () => {
    console.log(JSON.stringify({ event: 'ready', url: `http://127.0.0.1:${server.address().port}` }));
  });
});
