// Runs the built program until it is ready and writes what V8 compiled meanwhile. Arguments: dist/, configuration, data directory.
const { readFileSync, writeFileSync } = require('node:fs');
const { wrap } = require('node:module');
const { join } = require('node:path');
const vm = require('node:vm');

const [, , dist, config, dataDir] = process.argv;
const scripts = new Map();

/** The program's own loader makes the scripts; here they are only kept. */
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    scripts.set(options.filename, this);
  }
};

/** Used once a network is: compiled by what reading it in takes, and no further. */
function feishuSdk() {
  const filename = join(dist, 'feishu-sdk.js');
  const script = new vm.Script(wrap(readFileSync(filename, 'latin1')), { filename });
  script.runInThisContext()({}, require, { exports: {} }, filename, dist);
}

process.stdout.write = () => {
  feishuSdk();
  for (const [filename, script] of scripts) writeFileSync(`${filename}.cache`, script.createCachedData());
  process.exit(0);
};
process.argv = [process.execPath, 'cli', 'serve', '--ready-json', '--config', config, '--data-dir', dataDir];
require(join(dist, 'cli.js'));
