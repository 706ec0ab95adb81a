// Answers hopcost's routes with Express, on TCP or a Unix socket; in a cluster, PM2's or Node's own, each worker runs this.
'use strict'

const fs = require('node:fs')
const path = require('node:path')
const express = require('express')

const version = (name) => require(`${name}/package.json`).version

// From the environment: in a cluster the words of the command line are PM2's.
function main() {
  if (process.argv.includes('--version')) {
    console.log(`express ${version('express')} on node ${process.version}, pm2 ${version('pm2')}`)
    return
  }
  const { LISTEN, CONTENT, KEEPALIVE_TIMEOUT_S = '5' } = process.env
  const server = application(CONTENT).listen(place(LISTEN))
  server.keepAliveTimeout = 1000 * Number(KEEPALIVE_TIMEOUT_S)
  server.on('error', fail)
  // Connections are kept alive: waiting for them to close would never end.
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0))
}

/** What server.listen takes, of LINK:ADDRESS. */
function place(listen = '') {
  const [, network, address] = listen.match(/^http\+(tcp|unix):(.+)$/) ?? []
  if (address === undefined) fail(`LISTEN ${listen}: expected http+tcp:ADDRESS or http+unix:PATH`)
  if (network === 'unix') return { path: address }
  const [, host, port] = address.match(/^(.*):(\d+)$/) ?? fail(`LISTEN ${listen}: expected HOST:PORT`)
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
