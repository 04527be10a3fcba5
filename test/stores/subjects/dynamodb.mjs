import { DynamoDB } from '@aws-sdk/client-dynamodb'
import { dynamodbStore } from 'hookgate/stores/dynamodb'

const credentials = { accessKeyId: 'none', secretAccessKey: 'none' }

/** Config: `{ port }`. An effect is a number in its own record, beside the events. */
export async function open({ port }) {
  const client = new DynamoDB({ endpoint: `http://127.0.0.1:${port}`, region: 'local', credentials })
  // Eight processes on two cores wait long for one engine, and none has a deadline.
  const store = dynamodbStore(client, { abortSeconds: 50 })
  const at = (eventId) => ({ TableName: 'hookgate_events', Key: { event_key: { S: `effect:${eventId}` } } })
  if ((await store.check()).length > 0) await store.migrate()
  return {
    store,
    effect: (eventId) =>
      client.updateItem({
        ...at(eventId),
        UpdateExpression: 'ADD times :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      }),
    effects: async (eventId) =>
      (await client.getItem({ ...at(eventId), ConsistentRead: true })).Item?.times.N ?? 0,
    close: () => client.destroy(),
  }
}
