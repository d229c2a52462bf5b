import { loadSource } from '../load-source.mjs';

/** The README's table of commands, from the definition that command lines are read by. */
export async function commandTable() {
  const { synopses } = await loadSource('src/host/cli/help.ts');
  const rows = synopses().map(([name, taken, summary]) => {
    const line = ['node dist/cli.js', name, taken].filter((word) => word !== '').join(' ');
    return `| \`${line}\` | ${summary} |`;
  });
  return ['| command | what it does |', '| --- | --- |', ...rows].join('\n');
}

/** The parts of docs/commands.md: what each command says of itself. */
export async function commandHelps() {
  const { COMMANDS } = await loadSource('src/host/cli/command-specs.ts');
  const { commandHelp } = await loadSource('src/host/cli/help.ts');
  return Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, `\`\`\`text\n${commandHelp(name)}\n\`\`\``]));
}

/** Each command of the command line and its flags. */
export async function commandFlags() {
  const { COMMANDS } = await loadSource('src/host/cli/command-specs.ts');
  return new Map(Object.entries(COMMANDS).map(([name, { flags }]) => [name, new Set([...Object.keys(flags), 'help'])]));
}
