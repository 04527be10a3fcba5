import { test } from 'bun:test'
import { RedisClient } from 'bun'
import { redisStore } from 'hookgate/stores/redis'
import { eventStoreSuite } from 'hookgate/testing'

const client = new RedisClient(process.env.REDIS_URL)
eventStoreSuite(test, () => redisStore(client))
