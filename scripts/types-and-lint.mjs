// Types and lint in one process: the rules that ask for types use what the compiler has already worked out for its own verdict,
// instead of working it out once more. One program after the other, so that never two are in memory.
import { ESLint } from 'eslint';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import tseslint from 'typescript-eslint';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const TYPED = ['**/*.ts', '**/*.tsx'];

/** Where the window is: compiled as a page, by a configuration of its own. */
const WINDOW = ['renderer/', 'test/window/'];

const PROGRAMS = [
  { of: '', config: 'tsconfig.json', lint: ['.'], ignored: WINDOW },
  { of: ' of the window', config: 'test/window/tsconfig.json', lint: WINDOW, ignored: [] },
];

const failed = [];
for (const { of, config, lint, ignored } of PROGRAMS) {
  console.log(`\n== types${of}`);
  const program = compile(config);
  if (!hasSoundTypes(program)) failed.push(`types${of}`);
  console.log(`\n== lint${of}`);
  if (!(await isLinted(program, lint, ignored))) failed.push(`lint${of}`);
}
if (failed.length > 0) {
  console.error(`\nfailed: ${failed.join(', ')}`);
  process.exitCode = 1;
}

/** As `tsc --noEmit -p <config>` does it. */
function compile(config) {
  const { options, fileNames, errors } = ts.getParsedCommandLineOfConfigFile(
    `${ROOT}${config}`,
    { noEmit: true },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: ({ messageText }) => stop(messageText) },
  );
  return ts.createProgram({
    rootNames: fileNames,
    options,
    // The linter's parser goes from a node to its parent.
    host: ts.createCompilerHost(options, true),
    configFileParsingDiagnostics: errors,
  });
}

function hasSoundTypes(program) {
  const problems = ts.getPreEmitDiagnostics(program);
  const host = { getCurrentDirectory: () => ROOT, getCanonicalFileName: (name) => name, getNewLine: () => '\n' };
  if (problems.length > 0) console.log(ts.formatDiagnostics(problems, host));
  return problems.length === 0;
}

/** As `eslint --max-warnings 0` does it, the types taken from this program. */
async function isLinted(program, patterns, ignored) {
  const parser = {
    ...tseslint.parser,
    parseForESLint: (code, options) =>
      tseslint.parser.parseForESLint(code, { ...options, projectService: false, programs: [program] }),
  };
  const overrideConfig = [{ files: TYPED, languageOptions: { parser } }];
  const eslint = new ESLint({ cwd: ROOT, ignorePatterns: ignored, overrideConfig });
  const results = await eslint.lintFiles(patterns);
  const { format } = await eslint.loadFormatter('stylish');
  const report = await format(results);
  if (report !== '') console.log(report);
  return results.every(({ errorCount, warningCount }) => errorCount + warningCount === 0);
}

function stop(message) {
  throw new Error(String(message));
}
