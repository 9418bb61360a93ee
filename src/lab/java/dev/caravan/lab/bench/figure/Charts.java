package dev.caravan.lab.bench.figure;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Line charts with the same x axis, one below the other. */
public final class Charts {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 220;

    private final double[] x;
    private final String xTitle;
    private final List<XYChart> charts = new ArrayList<>();

    public Charts(double[] x, String xTitle) {
        this.x = x;
        this.xTitle = xTitle;
    }

    /** @param lines a value for each x, by name */
    public Charts add(String title, Map<String, double[]> lines) {
        XYChart chart =
                new XYChartBuilder().width(WIDTH).height(HEIGHT).title(title).build();
        var styler = chart.getStyler();
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setPlotBorderVisible(false);
        styler.setYAxisMin(0.0);
        styler.setXAxisDecimalPattern("0.#");
        styler.setLegendVisible(lines.size() > 1);
        styler.setLegendPosition(Styler.LegendPosition.InsideNE);
        new TreeMap<>(lines).forEach((name, y) -> chart.addSeries(name, x, y).setMarker(SeriesMarkers.NONE));
        charts.add(chart);
        return this;
    }

    public BufferedImage draw() {
        charts.get(charts.size() - 1).setXAxisTitle(xTitle);
        var image = new BufferedImage(WIDTH, HEIGHT * charts.size(), BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        for (XYChart chart : charts) {
            chart.paint(graphics, WIDTH, HEIGHT);
            graphics.translate(0, HEIGHT);
        }
        graphics.dispose();
        return image;
    }
}
