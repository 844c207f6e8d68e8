// A job in CommonJS that times itself.

const http = require('node:http');
const { setTimeout: wait } = require('timers/promises');

const startedMs = Date.now();
http.get(`${process.env.STORM_URL}/v1/items/1`, (response) => {
  response.resume();
  response.on('end', async () => {
    await wait(60_000);
    http.get(`${process.env.STORM_URL}/v1/items/2`, (second) => {
      second.resume();
      second.on('end', () => console.log(`took ${Date.now() - startedMs}`));
    });
  });
});
