/** What a relay, the check and a dry run have in common: the Camel context, its settings and the files of the routes. */
package dev.caravan.routes.context;
