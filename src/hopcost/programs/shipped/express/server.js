// Answers hopcost's routes with Express, on TCP, with TLS or without, or on a Unix socket; in a cluster, PM2's or Node's
// own, each worker runs this.
'use strict'

const fs = require('node:fs')
const http = require('node:http')
const https = require('node:https')
const path = require('node:path')
const express = require('express')

const version = (name) => require(`${name}/package.json`).version

// From the environment: in a cluster the words of the command line are PM2's.
function main() {
  if (process.argv.includes('--version')) {
    console.log(`express ${version('express')} on node ${process.version}, pm2 ${version('pm2')}`)
    return
  }
  const { LISTEN, CONTENT, FILES, KEEPALIVE_TIMEOUT_S = '5' } = process.env
  const { isTls, ...place } = parse(LISTEN)
  const app = application(CONTENT, FILES)
  const server = isTls ? https.createServer(certificate(), app) : http.createServer(app)
  server.listen(place)
  server.keepAliveTimeout = 1000 * Number(KEEPALIVE_TIMEOUT_S)
  server.on('error', fail)
  // Connections are kept alive: waiting for them to close would never end.
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0))
}

/** What server.listen takes, of LINK:ADDRESS, and whether it is TLS. */
function parse(listen = '') {
  const [, link, address] = listen.match(/^(http\+tcp|http\+unix|https\+tcp):(.+)$/) ?? []
  if (address === undefined) fail(`LISTEN ${listen}: expected http+tcp:ADDRESS, https+tcp:ADDRESS or http+unix:PATH`)
  if (link === 'http+unix') return { isTls: false, path: address }
  const [, host, port] = address.match(/^(.*):(\d+)$/) ?? fail(`LISTEN ${listen}: expected HOST:PORT`)
  return { isTls: link === 'https+tcp', host, port: Number(port) }
}

/** That of the stack's folder, with the cipher that Go and nginx take here. */
function certificate() {
  return {
    cert: fs.readFileSync('tls.crt'),
    key: fs.readFileSync('tls.key'),
    ciphers: 'TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256',
  }
}

/** The routes, alike in all origins; the files are those of hopcost's content folder. */
function application(folder, files) {
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
  app.use('/files', express.static(files, { etag: false }))
  return app
}

function fail(why) {
  console.error(`express: ${why.message ?? why}`)
  process.exit(1)
}

main()
