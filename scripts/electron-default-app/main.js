// What `electron [-r module] [switches] <app>` runs first, for a runtime that was packed with an app of its own and so came
// without one: it finds the app that is meant and becomes it.
const { app } = require('electron');
const { existsSync, statSync } = require('node:fs');
const { dirname, join, resolve } = require('node:path');

const args = process.argv.slice(1);
const modules = [];
let target;
while (args.length > 0 && target === undefined) {
  const arg = args.shift();
  if (arg === '-r' || arg === '--require') modules.push(resolve(args.shift()));
  else if (arg === '-v' || arg === '--version') {
    console.log(`v${process.versions.electron}`);
    process.exit(0);
  } else if (!arg.startsWith('-')) target = resolve(arg);
}
if (target === undefined || !existsSync(target)) {
  console.error('usage: electron [-r module] <folder or file of an app>');
  process.exit(1);
}
for (const module of modules) require(module);

Object.defineProperty(process, 'defaultApp', { value: true, enumerable: true });
const folder = statSync(target).isDirectory() ? target : dirname(target);
const manifest = join(target, 'package.json');
if (existsSync(manifest)) {
  const { name, productName, version, desktopName } = require(manifest);
  if (version) app.setVersion(version);
  if (productName || name) app.setName(productName || name);
  app.setDesktopName(desktopName || `${name}.desktop`);
}
app.setAppPath(folder);
require(target);
