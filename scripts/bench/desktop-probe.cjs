// Loaded into the main process of a measured Electron app before its own code. Tells on standard output, one JSON object a line,
// when the icon is in the tray; at SIGUSR2 clicks it, and tells how long it took until its window was shown and its page loaded.
const { app, Tray } = require('electron');

let tray;
const tell = (fact) => process.stdout.write(`${JSON.stringify(fact)}\n`);

const { setToolTip } = Tray.prototype;
Tray.prototype.setToolTip = function (text) {
  if (tray === undefined) tell({ probe: 'tray' });
  tray = this;
  return setToolTip.call(this, text);
};

process.on('SIGUSR2', () => {
  const began = performance.now();
  app.once('browser-window-created', (_event, window) => {
    const shown = new Promise((resolve) => (window.isVisible() ? resolve() : window.once('show', resolve)));
    const loaded = new Promise((resolve) => window.webContents.once('did-finish-load', resolve));
    void Promise.all([shown, loaded]).then(() => {
      tell({ probe: 'window', ms: performance.now() - began });
      window.destroy();
    });
  });
  tray.emit('click');
});
