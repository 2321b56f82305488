"""spark.py TABLE: counts the rows of a table, by partition and status, in Spark."""
import sys

from pyspark.sql import SparkSession

spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
         .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate())
table = spark.read.parquet(sys.argv[1])
print("rows", table.count())
for row in table.groupBy("crawl", "subset", "fetch_status").count().orderBy("fetch_status").collect():
    print(row["crawl"], row["subset"], row["fetch_status"], row["count"])
