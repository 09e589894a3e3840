// Package ent is the domain and its store: the schema, the tenant policy, the
// transactions and the migrations. It knows neither HTTP nor GraphQL.
//
// The folders beside this file: schema declares the entities, db is generated
// from it, rule and viewer keep stores apart, and id, micros, scope, fault,
// event, state, document and currency are the vocabulary that all layers share.
package ent
