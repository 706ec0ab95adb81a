// Answers hopcost's routes with Express, on TCP or a Unix socket; in a cluster, PM2's or Node's own, each worker runs this.
'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { parseArgs } = require('node:util')
const express = require('express')

const version = (name) => require(`${name}/package.json`).version

function main() {
  const { values } = parseArgs({
    options: {
      listen: { type: 'string' },
      content: { type: 'string' },
      'keepalive-timeout-s': { type: 'string', default: '5' },
      version: { type: 'boolean' },
    },
  })
  if (values.version) {
    console.log(`express ${version('express')} on node ${process.version}, pm2 ${version('pm2')}`)
    return
  }
  const server = application(values.content).listen(place(values.listen))
  server.keepAliveTimeout = 1000 * Number(values['keepalive-timeout-s'])
  server.on('error', fail)
  // Connections are kept alive: waiting for them to close would never end.
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0))
}

/** What server.listen takes, of LINK:ADDRESS. */
function place(listen = '') {
  const [, network, address] = listen.match(/^http\+(tcp|unix):(.+)$/) ?? []
  if (address === undefined) fail(`--listen ${listen}: expected http+tcp:ADDRESS or http+unix:PATH`)
  if (network === 'unix') return { path: address }
  const [, host, port] = address.match(/^(.*):(\d+)$/) ?? fail(`--listen ${listen}: expected HOST:PORT`)
  return { host, port: Number(port) }
}

/** The routes, alike in all origins; the files are those of hopcost's content folder. */
function application(folder) {
  const read = (file) => fs.readFileSync(path.join(folder, file), 'utf8')
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  const things = JSON.parse(read('1k.json'))
  app.get('/json', (_request, response) => response.json(things)) // made into text anew for each request
  for (const [route, file] of [
    ['/', 'hello.txt'],
    ['/512', '512.txt'],
    ['/static.txt', 'static.txt'],
  ]) {
    const text = read(file)
    app.get(route, (_request, response) => response.type('text/plain').send(text))
  }
  return app
}

function fail(why) {
  console.error(`express: ${why.message ?? why}`)
  process.exit(1)
}

main()
