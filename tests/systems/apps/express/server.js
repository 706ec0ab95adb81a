// A shop's API in Express: what its items cost, as JSON.
const { randomUUID } = require('node:crypto')
const express = require('express')

const items = [
  { id: 1, name: 'Lamp', price: 39.5, tags: ['desk', 'light'] },
  { id: 2, name: 'Chair', price: 120, tags: ['desk'] },
  { id: 3, name: 'Shelf', price: 75.25, tags: ['wall', 'oak'] },
]
const app = express()

app.use((_request, response, next) => {
  response.set('X-Request-Id', randomUUID())
  next()
})

app.get('/', (_request, response) => {
  response.json({ items })
})

app.get('/items/:id', (request, response) => {
  const item = items.find(({ id }) => id === Number(request.params.id))
  if (item) response.json(item)
  else response.status(404).json({ error: 'no such item' })
})

app.listen(process.env.PORT ?? 3000)
