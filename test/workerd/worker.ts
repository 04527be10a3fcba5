/** The Worker beside which the tests in workerd run. It exports the class of the Durable Object. */
export { EventStoreObject } from '../../src/stores/durable-object/store.ts'

export default { fetch: () => new Response('nothing is served here', { status: 404 }) }
