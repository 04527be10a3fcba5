// No validator badge: it would send the document's URL to Swagger's server.
SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null })
