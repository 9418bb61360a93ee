package dev.caravan.adopt.doctor;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;

/**
 * A plan as {@code explain (format json)} shows it.
 *
 * @param cost of the whole statement, in units of the planner
 * @param nodes all nodes
 */
record Plan(double cost, List<Node> nodes) {
    /**
     * A step of the plan.
     *
     * @param index the index that it reads; empty for none
     * @param isCondition whether a condition of the statement limits which part of the index is read
     * @param rows estimated number of rows
     */
    record Node(String type, String index, boolean isCondition, long rows) {
        boolean isFullScan() {
            return type.equals("Seq Scan");
        }

        boolean isIndexScan() {
            return type.equals("Index Scan") || type.equals("Index Only Scan") || type.equals("Bitmap Index Scan");
        }

        boolean isSort() {
            return type.equals("Sort") || type.equals("Incremental Sort");
        }
    }

    static Plan parse(String json) throws JsonProcessingException {
        JsonNode root = new ObjectMapper().readTree(json).path(0).path("Plan");
        List<Node> nodes = new ArrayList<>();
        add(root, nodes);
        return new Plan(root.path("Total Cost").asDouble(), nodes);
    }

    private static void add(JsonNode node, List<Node> nodes) {
        nodes.add(new Node(
                node.path("Node Type").asText(),
                node.path("Index Name").asText(),
                node.has("Index Cond"),
                node.path("Plan Rows").asLong()));
        node.path("Plans").forEach(child -> add(child, nodes));
    }
}
