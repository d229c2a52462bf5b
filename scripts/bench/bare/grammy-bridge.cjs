// The ten lines that anybody would write: a bot that asks an agent over HTTP and says what it answers. It stores nothing.
const { Bot } = require('grammy');

const [, , token, apiRoot, agent] = process.argv;
const bot = new Bot(token, { client: { apiRoot } });
bot.on('message:text', async (context) => {
  const response = await fetch(agent, { method: 'POST', body: JSON.stringify({ text: context.message.text }) });
  await context.reply((await response.json()).text);
});
void bot.start({ onStart: () => console.log('{}') });
