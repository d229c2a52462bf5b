import { join } from 'node:path';
import { loadBundle } from './base/load-bundle.js';

// The command line's entry is as small as can be: the program itself is a bundle of its own, so that it can come with what V8
// made of it when it was built.
loadBundle(join(__dirname, 'command-line.js'));
