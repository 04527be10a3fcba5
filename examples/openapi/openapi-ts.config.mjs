export default {
  input: 'webhooks.json', // the sender's document: a file or a URL
  output: 'generated',
  plugins: [{ name: 'zod', dates: { offset: true } }],
}
