import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configSchema } from '../config-schema.mjs';
import { commandFlags } from './commands.mjs';
import { codeOf } from './documents.mjs';

/** Folders whose files documents speak of by their path. */
const FOLDERS = /^(src|renderer|test|scripts|docs|assets)\/[\w./-]*[\w/]$/;
const CLI = /\bnode dist\/cli\.js\s+([a-z-]+)([^|#;&]*)/g;
const NPM_SCRIPT = /\bnpm (?:run (?:--silent )?)?([a-z:]+)/g;
/** npm's own words that look like scripts in `npm <word>`. */
const NPM_OWN = new Set(['ci', 'install', 'i', 'audit', 'run', 'exec', 'ls', 'pack', 'view', 'init', 'update']);

/** Commands, config keys and files that a document names and the project does not have. */
export async function findUnknownNames(root, documents) {
  const known = {
    scripts: new Set(Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts)),
    commands: await commandFlags(),
    keys: keysOf(await configSchema()),
  };
  return documents
    .filter(({ path }) => path !== 'CHANGELOG.md')
    .flatMap(({ path, text }) => {
      const { blocks, spans } = codeOf(text);
      const code = [...blocks, ...spans];
      return [
        ...code.flatMap((piece) => unknownScripts(piece, known.scripts)),
        ...code.flatMap((piece) => unknownCommands(piece, known.commands)),
        ...spans.flatMap((span) => unknownKey(span, known.keys)),
        ...spans
          .filter((span) => FOLDERS.test(span) && !existsSync(join(root, span)))
          .map((span) => `the file ${span}`),
      ].map((name) => `${path}: ${name} does not exist`);
    });
}

function unknownScripts(code, scripts) {
  return [...code.matchAll(NPM_SCRIPT)]
    .map(([, name]) => name)
    .filter((name) => !NPM_OWN.has(name) && !scripts.has(name))
    .map((name) => `the command npm run ${name}`);
}

function unknownCommands(code, commands) {
  return [...code.matchAll(CLI)].flatMap(([, command, rest]) => {
    const flags = commands.get(command);
    if (flags === undefined) return [`the command ${command}`];
    return [...rest.matchAll(/--([a-z-]+)/g)]
      .map(([, flag]) => flag)
      .filter((flag) => !flags.has(flag))
      .map((flag) => `the flag --${flag} of ${command}`);
  });
}

function unknownKey(span, keys) {
  const name = /^([a-z][A-Za-z]*(?:\.[A-Za-z*]+)+)$/.exec(span)?.[1];
  if (name === undefined || !keys.sections.has(name.split('.')[0])) return [];
  const pattern = new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '[A-Za-z]+')}(\\.|$)`);
  return [...keys.paths].some((path) => pattern.test(path)) ? [] : [`the config key ${name}`];
}

function keysOf(schema) {
  const paths = [];
  const walk = (prefix, { properties }) => {
    for (const [name, inner] of Object.entries(properties ?? {})) {
      const path = prefix === '' ? name : `${prefix}.${name}`;
      paths.push(path);
      walk(path, inner);
    }
  };
  walk('', schema);
  // Packets are named `auth.start` and the like: they are no keys.
  const sections = Object.keys(schema.properties).filter((section) => section !== 'auth');
  return { paths: new Set(paths), sections: new Set(sections) };
}
