/** The Worker that the tests in workerd run beside: it brings the class of the Durable Object. */
export { EventStoreObject } from '../../stores/durable-object/durable-object-store.ts'

export default { fetch: () => new Response('nothing is served here', { status: 404 }) }
