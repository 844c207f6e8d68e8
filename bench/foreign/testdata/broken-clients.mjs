// Clients that break simulated time, and modules that are no clients; which one is told in the query of this module's address.

import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { Worker } from 'node:worker_threads';

const never = () => new Promise(() => {});
const ended = (emitter) => new Promise((resolve) => emitter.once('error', resolve));

const CLIENTS = {
  'endless loop': () => {
    for (;;);
  },
  'endless microtasks': async () => {
    for (;;) await undefined;
  },
  'endless immediates': async () => {
    for (;;) await new Promise((resolve) => setImmediate(resolve));
  },
  'waits for nothing': never,
  'waits for a timer that keeps nothing going': () => new Promise((resolve) => setTimeout(resolve, 10).unref()),
  'another host, fetch': () => fetch('http://other.example/'),
  'another host, node:http, and nobody minds': () => ended(http.get('http://other.example/')),
  'another port': () => ended(net.connect(9, '127.0.0.1')),
  'a host by options': () => ended(net.connect({ host: 'other.example', port: 80 })),
  'a pipe': () => ended(net.connect('/tmp/no-such-pipe')),
  'a pipe by options': () => ended(http.get({ socketPath: '/tmp/no-such-pipe' })),
  TLS: ({ origin }) => ended(https.get(origin.replace('http:', 'https:'))),
  'TLS by fetch': ({ origin }) => fetch(origin.replace('http:', 'https:')),
  UDP: () => {
    createSocket('udp4').bind(0);
    return new Promise((resolve) => setTimeout(resolve, 10));
  },
  'a child process': () => {
    // Ends with its input, that is with this thread.
    spawn(process.execPath, ['-e', 'process.stdin.resume()']);
    return new Promise((resolve) => setTimeout(resolve, 10));
  },
  'a worker thread': () => new Promise((resolve) => new Worker('', { eval: true }).once('exit', resolve)),
  'exits the process': () => process.exit(7),
  'throws in a timer': () =>
    new Promise(() => {
      setTimeout(() => {
        throw new TypeError('nobody catches this');
      }, 10);
    }),
  'rejects what nobody awaits': () => {
    Promise.reject(new RangeError('nobody awaits this'));
    return never();
  },
  'speaks HTTP by hand': ({ url }) =>
    new Promise((resolve) => {
      const { hostname, port, pathname } = new URL(url);
      const socket = net.connect(Number(port), hostname);
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      socket.resume().once('close', resolve);
    }),
  'waits at its top for a timer': async () => {},
  'is no function': {},
};

const name = decodeURIComponent(new URL(import.meta.url).search.slice(1));
if (name === 'throws when it is loaded') throw new Error('no database\nand more lines');
if (name === 'waits at its top for nothing') await never();
if (name === 'waits at its top for a timer') await new Promise((resolve) => setTimeout(resolve, 500));

export default CLIENTS[name];
